curl --fail-with-body -s "$RECADO_URL/v1/instances/$OFFICIAL/messages/template" \
  -H "Authorization: Bearer $RECADO_KEY" \
  -H 'Content-Type: application/json' \
  -d '{
    "to": "+55 11 98888-7777",
    "template": {"name": "pedido_enviado", "variables": ["Ana", "123"]}
  }'
