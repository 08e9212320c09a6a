{{- define "recado.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "recado.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "recado.labels" -}}
{{ include "recado.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "recado.secret" -}}
{{- default (include "recado.name" .) .Values.existingSecret -}}
{{- end -}}

{{- define "recado.domain" -}}
{{- required "set domain, as in messages.example.com" .Values.domain -}}
{{- end -}}

{{/* What follows from the other values; `env` may override each. */}}
{{- define "recado.settings" -}}
{{/* A folder in the volume, whose own root belongs to root: the server sets the mode of its folder. */}}
DATA_DIR: /data/recado
PUBLIC_URL: https://{{ include "recado.domain" . }}
SANDBOX_URL: https://sandbox.{{ include "recado.domain" . }}
PANEL_URL: https://{{ include "recado.domain" . }}
TRUST_PROXY: {{ .Values.trustProxy | quote }}
MEDIA_STORE: {{ .Values.media.store }}
{{- if eq .Values.media.store "s3" }}
S3_BUCKET: {{ required "set media.s3.bucket" .Values.media.s3.bucket | quote }}
S3_REGION: {{ .Values.media.s3.region | quote }}
{{- with .Values.media.s3.endpoint }}
S3_ENDPOINT: {{ . | quote }}
{{- end }}
{{- end }}
{{- end -}}
