curl --fail-with-body -s "$RECADO_URL/v1/me" \
  -H "Authorization: Bearer $RECADO_KEY"
