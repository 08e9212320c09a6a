curl --fail-with-body -s "$RECADO_URL/v1/instances/$INSTANCE/messages/sticker" \
  -H "Authorization: Bearer $RECADO_KEY" \
  -H 'Content-Type: application/json' \
  -d '{
    "to": "+55 11 99999-8888",
    "media": {"url": "https://loja.com.br/obrigado.png"}
  }'
