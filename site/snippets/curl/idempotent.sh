curl --fail-with-body -s "$RECADO_URL/v1/instances/$INSTANCE/messages" \
  -H "Authorization: Bearer $RECADO_KEY" \
  -H 'Content-Type: application/json' \
  -H 'Idempotency-Key: pedido-1042' \
  -d '{
    "to": "+55 11 99999-8888",
    "text": "Pedido 1042 confirmado."
  }'
