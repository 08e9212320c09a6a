curl --fail-with-body -s "$RECADO_URL/v1/instances/$INSTANCE/messages/media-upload" \
  -H "Authorization: Bearer $RECADO_KEY" \
  -F to="+55 11 99999-8888" -F type=document -F caption="Nota fiscal" \
  -F "file=@$FILE;type=application/pdf"
