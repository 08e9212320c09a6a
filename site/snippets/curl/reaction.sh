curl --fail-with-body -s "$RECADO_URL/v1/instances/$INSTANCE/messages/reaction" \
  -H "Authorization: Bearer $RECADO_KEY" \
  -H 'Content-Type: application/json' \
  -d '{"waMessageId": "'"$WA_MESSAGE_ID"'", "emoji": "👍"}'
