curl --fail-with-body -s "$RECADO_URL/v1/instances/$INSTANCE/messages/album" \
  -H "Authorization: Bearer $RECADO_KEY" \
  -H 'Content-Type: application/json' \
  -d '{
    "to": "+55 11 99999-8888",
    "items": [
      {"type": "image", "media": {"url": "https://loja.com.br/vitrine.jpg"}, "caption": "A vitrine"},
      {"type": "video", "media": {"url": "https://loja.com.br/forno.mp4"}}
    ]
  }'
