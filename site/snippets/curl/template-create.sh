curl --fail-with-body -s "$RECADO_URL/v1/instances/$OFFICIAL/templates" \
  -H "Authorization: Bearer $RECADO_KEY" \
  -H 'Content-Type: application/json' \
  -d '{
    "name": "pedido_enviado",
    "category": "UTILITY",
    "body": "Oi, {{1}}! O pedido {{2}} saiu para entrega.",
    "variables": ["Ana", "123"]
  }'
