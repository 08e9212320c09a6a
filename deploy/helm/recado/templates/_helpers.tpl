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
