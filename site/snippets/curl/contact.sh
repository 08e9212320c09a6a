curl --fail-with-body -s "$RECADO_URL/v1/instances/$INSTANCE/messages/contact" \
  -H "Authorization: Bearer $RECADO_KEY" \
  -H 'Content-Type: application/json' \
  -d '{
    "to": "+55 11 99999-8888",
    "contacts": [{"name": "Ana", "phones": [{"phone": "+55 11 98888-7777"}]}]
  }'
