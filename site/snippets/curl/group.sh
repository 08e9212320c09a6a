curl --fail-with-body -s "$RECADO_URL/v1/instances/$INSTANCE/groups" \
  -H "Authorization: Bearer $RECADO_KEY" \
  -H 'Content-Type: application/json' \
  -d '{
    "subject": "Obras",
    "participants": ["+55 11 98888-7777"]
  }'
