curl --fail-with-body -s "$RECADO_URL/v1/media" \
  -H "Authorization: Bearer $RECADO_KEY" \
  -F "file=@$FILE;type=application/pdf"
