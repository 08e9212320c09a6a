curl --fail-with-body -s "$RECADO_URL/v1/webhooks" \
  -H "Authorization: Bearer $RECADO_KEY" \
  -H 'Content-Type: application/json' \
  -d '{
    "name": "ERP",
    "url": "https://loja.com.br/recado",
    "events": ["message.received", "message.status"]
  }'
