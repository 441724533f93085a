{{- define "gateway.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "gateway.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "gateway.labels" -}}
{{ include "gateway.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "gateway.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The scheme in which the pod answers, as probes spell it. */}}
{{- define "gateway.scheme" -}}
{{- ternary "HTTPS" "HTTP" (not (empty .Values.tls.secret)) -}}
{{- end -}}

{{- define "gateway.publicUrl" -}}
{{- if .Values.publicUrl -}}
{{ .Values.publicUrl }}
{{- else if .Values.ingress.enabled -}}
{{ ternary "https" "http" (not (empty .Values.ingress.tlsSecret)) }}://{{ .Values.ingress.host }}
{{- else if .Values.route.enabled -}}
https://{{ .Values.route.host }}
{{- end -}}
{{- end -}}

{{/* gateway.yaml: what is given, with the certificate's place. */}}
{{- define "gateway.config" -}}
{{- $config := deepCopy .Values.config -}}
{{- if .Values.tls.secret -}}
{{- $tls := dict "cert" "/run/secrets/tls/tls.crt" "key" "/run/secrets/tls/tls.key" -}}
{{- $_ := set $config "server" (merge (dict "tls" $tls) (get $config "server" | default dict)) -}}
{{- end -}}
{{- toYaml $config -}}
{{- end -}}

{{/* "true" if the chart makes the ConfigMap. */}}
{{- define "gateway.hasConfig" -}}
{{- if and (not .Values.configMap) (or .Values.config .Values.tls.secret) -}}true{{- end -}}
{{- end -}}

{{/* What can't work together is refused before it is tried. The schema refuses what is wrong by itself. */}}
{{- define "gateway.refusals" -}}
{{- $ := . -}}
{{- with .Values -}}
{{- if eq .database "sqlite" -}}
  {{- if gt (int .replicas) 1 -}}
    {{- fail "replicas: SQLite has one pod; use `database: postgres` for more" -}}
  {{- end -}}
  {{- if .autoscaling.enabled -}}
    {{- fail "autoscaling: SQLite has one pod; use `database: postgres` for more" -}}
  {{- end -}}
  {{- if gt (int .workers) 1 -}}
    {{- fail "workers: one process serves from SQLite; use `database: postgres` for more" -}}
  {{- end -}}
{{- else -}}
  {{- range list "GATEWAY_DATABASE_URL" "GATEWAY_SECRET" -}}
    {{- if or (not $.Values.secret.name) (not (has . $.Values.secret.variables)) -}}
      {{- fail (printf "secret: with Postgres it has %s, named in `secret.variables`" .) -}}
    {{- end -}}
  {{- end -}}
  {{- if and (not .files.bucket) (not .files.claim) -}}
    {{- fail "files: with Postgres they are in a `bucket` or on a `claim` that all pods mount" -}}
  {{- end -}}
{{- end -}}
{{- if and .files.bucket .files.claim -}}
  {{- fail "files: a `bucket` or a `claim`, not both" -}}
{{- end -}}
{{- if and .configMap (or .config .tls.secret) -}}
  {{- fail "configMap: in place of `config` and `tls.secret`, not beside them" -}}
{{- end -}}
{{- if and .secret.variables (not .secret.name) -}}
  {{- fail "secret.variables: they need `secret.name`" -}}
{{- end -}}
{{- range list "GATEWAY_HOST" "GATEWAY_PORT" "GATEWAY_LEAVE_SECONDS" "GATEWAY_DRAIN_SECONDS" "GATEWAY_DATA_DIRECTORY" "GATEWAY_WORKERS" "GATEWAY_DATABASE_URL" "GATEWAY_PUBLIC_URL" "GATEWAY_FILES" "GATEWAY_FILES_ENDPOINT" "GATEWAY_FILES_REGION" -}}
  {{- if hasKey $.Values.env . -}}
    {{- fail (printf "env.%s: the chart has a value for it, or sets it itself" .) -}}
  {{- end -}}
{{- end -}}
{{- if and (hasKey .env "GATEWAY_CONFIG") (or .configMap .config .tls.secret) -}}
  {{- fail "env.GATEWAY_CONFIG: in place of `config`, `configMap` and `tls.secret`, not beside them" -}}
{{- end -}}
{{- range .secret.variables -}}
  {{- if hasKey $.Values.env . -}}
    {{- fail (printf "env.%s: it is in `secret.variables` too" .) -}}
  {{- end -}}
{{- end -}}
{{- if and .ingress.enabled .route.enabled -}}
  {{- fail "ingress, route: one of them" -}}
{{- end -}}
{{- if and .ingress.enabled (not .ingress.host) -}}
  {{- fail "ingress.host: the name that clients ask for" -}}
{{- end -}}
{{- if .route.enabled -}}
  {{- if or (not .route.host) (not .route.parentRefs) -}}
    {{- fail "route: it needs `host` and `parentRefs`, the Gateway that it belongs to" -}}
  {{- end -}}
{{- end -}}
{{- if .autoscaling.enabled -}}
  {{- if gt (int .autoscaling.minReplicas) (int .autoscaling.maxReplicas) -}}
    {{- fail "autoscaling.minReplicas: not more than maxReplicas" -}}
  {{- end -}}
{{- end -}}
{{- if and .serviceMonitor.enabled (not .secret.name) -}}
  {{- fail "serviceMonitor: /metrics is opened by a key of `secret`" -}}
{{- end -}}
{{- end -}}
{{- end -}}
