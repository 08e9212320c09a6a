curl --fail-with-body -s "$RECADO_URL/v1/campaigns" \
  -H "Authorization: Bearer $RECADO_KEY" \
  -H 'Content-Type: application/json' \
  -d '{
    "name": "Novembro",
    "instanceIds": ["'"$INSTANCE"'"],
    "message": {"type": "text", "text": "Olá, {{nome}}!"},
    "recipients": [{"to": "+55 11 98888-7777", "variables": {"nome": "Ana"}}]
  }'
