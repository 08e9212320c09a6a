curl --fail-with-body -s "$RECADO_URL/v1/instances/$INSTANCE/messages/text" \
  -H "Authorization: Bearer $RECADO_KEY" \
  -H 'Content-Type: application/json' \
  -d '{
    "to": "+55 11 99999-8888",
    "text": "Este aqui.",
    "quotedWaMessageId": "'"$WA_MESSAGE_ID"'"
  }'
