curl --fail-with-body -s "$RECADO_URL/v1/instances/$INSTANCE/messages/media" \
  -H "Authorization: Bearer $RECADO_KEY" \
  -H 'Content-Type: application/json' \
  -d '{
    "to": "+55 11 99999-8888",
    "type": "document",
    "media": {"url": "https://loja.com.br/nota-1042.pdf", "fileName": "nota-1042.pdf"}
  }'
