curl --fail-with-body -s "$RECADO_URL/v1/instances/$INSTANCE/messages?limit=20" \
  -H "Authorization: Bearer $RECADO_KEY"
