curl --fail-with-body -s -X PATCH "$RECADO_URL/v1/instances/$INSTANCE" \
  -H "Authorization: Bearer $RECADO_KEY" \
  -H 'Content-Type: application/json' \
  -d '{
    "settings": {"sendDelayMinMs": 2000, "sendDelayMaxMs": 6000}
  }'
