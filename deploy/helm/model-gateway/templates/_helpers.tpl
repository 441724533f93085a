{{- define "gateway.chartName" -}}
{{- .Values.nameOverride | default .Chart.Name -}}
{{- end -}}

{{/* Short enough for the names that Kubernetes makes of it, and without the dots that a release's may have. */}}
{{- define "gateway.name" -}}
{{- $name := .Values.fullnameOverride -}}
{{- if not $name -}}
{{- $chart := include "gateway.chartName" . -}}
{{- $name = ternary .Release.Name (printf "%s-%s" .Release.Name $chart) (contains $chart .Release.Name) -}}
{{- end -}}
{{- $name | replace "." "-" | trunc 52 | trimAll "-" -}}
{{- end -}}

{{- define "gateway.selector" -}}
app.kubernetes.io/name: {{ include "gateway.chartName" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "gateway.labels" -}}
{{ include "gateway.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | replace "+" "_" | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{/* The chart's own names win: a mapping has none twice. It takes a list of what is given and the chart's own, as text. */}}
{{- define "gateway.beside" -}}
{{- merge (fromYaml (last .)) (first .) | toYaml -}}
{{- end -}}

{{/* Not the selector's, by which a Service would send requests to it. */}}
{{- define "gateway.testLabels" -}}
app.kubernetes.io/name: {{ include "gateway.chartName" . | trunc 58 | trimSuffix "-" }}-test
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* DNS, also where its pods listen on another port than its Service (OpenShift's). */}}
{{- define "gateway.dns" -}}
- { port: 53, protocol: UDP }
- { port: 53, protocol: TCP }
- { port: 5353, protocol: UDP }
- { port: 5353, protocol: TCP }
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

{{/* gateway.yaml as a mapping, also where it is given as text; for what the chart has to know of it. */}}
{{- define "gateway.given" -}}
{{- ternary .Values.config (fromYaml (toString .Values.config)) (kindIs "map" .Values.config) | toYaml -}}
{{- end -}}

{{/* The scheme in which the pod answers, as probes spell it. */}}
{{- define "gateway.scheme" -}}
{{- $server := get (include "gateway.given" . | fromYaml) "server" | default dict -}}
{{- ternary "HTTPS" "HTTP" (or (hasKey $server "tls") (not (empty .Values.tls.secret))) -}}
{{- end -}}

{{/* The same of its address for operators. */}}
{{- define "gateway.adminScheme" -}}
{{- $server := get (include "gateway.given" . | fromYaml) "server" | default dict -}}
{{- ternary "HTTPS" "HTTP" (hasKey (get $server "admin" | default dict) "tls") -}}
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

{{/* The sections of gateway.yaml that values of the chart stand for. */}}
{{- define "gateway.sections" -}}
{{- with .Values.tls.secret }}
server: { tls: { cert: /run/secrets/tls/tls.crt, key: /run/secrets/tls/tls.key } }
{{- end }}
{{- with .Values.redis.sentinel }}
{{- if .hosts }}
redis:
  sentinel:
    hosts: {{ toJson .hosts }}
    name: {{ toJson .name }}
    {{- if .tls }}
    tls: true
    {{- end }}
    {{- with .username }}
    username: {{ toJson . }}
    {{- end }}
    {{- with .secretKey }}
    password: { file: {{ printf "/run/secrets/gateway/%s" . | toJson }} }
    {{- end }}
    {{- with .sentinelUsername }}
    sentinel_username: {{ toJson . }}
    {{- end }}
    {{- with .sentinelSecretKey }}
    sentinel_password: { file: {{ printf "/run/secrets/gateway/%s" . | toJson }} }
    {{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* gateway.yaml: a text as it is given; a mapping with what values of the chart stand for. */}}
{{- define "gateway.config" -}}
{{- if kindIs "string" .Values.config -}}
{{- .Values.config -}}
{{- else -}}
{{- merge (deepCopy .Values.config) (include "gateway.sections" . | fromYaml) | toYaml -}}
{{- end -}}
{{- end -}}

{{/* "true" if the chart makes the ConfigMap. */}}
{{- define "gateway.hasConfig" -}}
{{- if and (not .Values.configMap) (or .Values.config .Values.tls.secret .Values.redis.sentinel.hosts) -}}true{{- end -}}
{{- end -}}

{{/* Fails at a key that YAML 1.1 made a boolean of, as Helm reads values. */}}
{{- define "gateway.unmangled" -}}
{{- if kindIs "map" . -}}
  {{- range $key, $value := . -}}
    {{- if has $key (list "true" "false") -}}
      {{- fail (printf "config: Helm reads a key as %s that is written `on`, `off`, `yes` or `no`: quote it, or give `config` as text (`config: |`)" $key) -}}
    {{- end -}}
    {{- include "gateway.unmangled" $value -}}
  {{- end -}}
{{- else if kindIs "slice" . -}}
  {{- range . -}}{{- include "gateway.unmangled" . -}}{{- end -}}
{{- end -}}
{{- end -}}

{{/* What can't work together is refused before it is tried. The schema refuses what is wrong by itself. */}}
{{- define "gateway.refusals" -}}
{{- $ := . -}}
{{- $name := include "gateway.name" . -}}
{{- if not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" $name) -}}
  {{- fail (printf "fullnameOverride: a Service can't be called %q; its name begins with a letter, and has letters, digits and dashes" $name) -}}
{{- end -}}
{{- $given := include "gateway.given" . | fromYaml -}}
{{- $server := get $given "server" | default dict -}}
{{- with .Values -}}
{{- if kindIs "string" .config -}}
  {{- if and .config (or (hasKey $given "Error") (not $given)) -}}
    {{- fail (printf "config: it is no mapping of YAML: %s" (get $given "Error")) -}}
  {{- end -}}
  {{- if and .tls.secret (not (hasKey $server "tls")) -}}
    {{- fail "tls.secret: `config` as text names it itself: `server: { tls: { cert: /run/secrets/tls/tls.crt, key: /run/secrets/tls/tls.key } }`" -}}
  {{- end -}}
  {{- if and .config .redis.sentinel.hosts -}}
    {{- fail "redis.sentinel: `config` as text has it itself, with `password: { file: /run/secrets/gateway/NAME }`" -}}
  {{- end -}}
{{- else -}}
  {{- include "gateway.unmangled" .config -}}
  {{- if and .tls.secret (hasKey $server "tls") -}}
    {{- fail "config.server.tls: `tls.secret` is in its place" -}}
  {{- end -}}
  {{- if and .redis.sentinel.hosts (hasKey $given "redis") -}}
    {{- fail "config.redis: `redis.sentinel` is in its place" -}}
  {{- end -}}
{{- end -}}
{{- range $field, $value := dict "host" "host" "port" "service.port" "leave_seconds" "leaveSeconds" "drain_seconds" "drainSeconds" "workers" "workers" -}}
  {{- if hasKey $server $field -}}
    {{- fail (printf "config.server.%s: `%s` of the chart is in its place" $field $value) -}}
  {{- end -}}
{{- end -}}
{{- if and (hasKey $server "public_url") (include "gateway.publicUrl" $) -}}
  {{- fail "config.server.public_url: `publicUrl` of the chart, or the host of `ingress` or `route`, is in its place" -}}
{{- end -}}
{{- if hasKey $server "admin" -}}
  {{- if not .admin.enabled -}}
    {{- fail "config.server.admin: `admin` of the chart is in its place, which opens its port" -}}
  {{- end -}}
  {{- range $field, $value := dict "host" "host" "port" "admin.port" "public_url" "admin.publicUrl" -}}
    {{- if hasKey (get $server "admin" | default dict) $field -}}
      {{- fail (printf "config.server.admin.%s: `%s` of the chart is in its place" $field $value) -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- if and .admin.enabled (not .admin.publicUrl) (hasKey (get $given "sign_in" | default dict) "oidc") -}}
  {{- fail "admin.publicUrl: the address that people's browsers come back to from `sign_in`" -}}
{{- end -}}
{{- $database := get $given "database" -}}
{{- if and $database (or (not (kindIs "map" $database)) (hasKey $database "url")) -}}
  {{- fail "config.database: `database` of the chart, and GATEWAY_DATABASE_URL of `secret`, are in its place" -}}
{{- end -}}
{{- $files := get $given "files" -}}
{{- if and $files (or .files.bucket .files.claim) (or (not (kindIs "map" $files)) (hasKey $files "at")) -}}
  {{- fail "config.files: `files` of the chart is in its place" -}}
{{- end -}}
{{- if .redis.sentinel.hosts -}}
  {{- if not .redis.sentinel.name -}}
    {{- fail "redis.sentinel.name: the name under which the sentinels watch the master" -}}
  {{- end -}}
  {{- if has "GATEWAY_REDIS_URL" .secret.variables -}}
    {{- fail "redis.sentinel: GATEWAY_REDIS_URL of `secret` would win over it" -}}
  {{- end -}}
  {{- if and (or .redis.sentinel.secretKey .redis.sentinel.sentinelSecretKey) (not .secret.name) -}}
    {{- fail "redis.sentinel: a password is a key of `secret`, which needs its name" -}}
  {{- end -}}
{{- end -}}
{{- if eq .database "sqlite" -}}
  {{- if has "GATEWAY_DATABASE_URL" .secret.variables -}}
    {{- fail "secret.variables: GATEWAY_DATABASE_URL is for `database: postgres`" -}}
  {{- end -}}
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
{{- if and .configMap (or .config .tls.secret .redis.sentinel.hosts) -}}
  {{- fail "configMap: in place of `config`, `tls.secret` and `redis.sentinel`, not beside them" -}}
{{- end -}}
{{- if and .secret.variables (not .secret.name) -}}
  {{- fail "secret.variables: they need `secret.name`" -}}
{{- end -}}
{{- $env := dict -}}
{{- range .extraEnv -}}{{- $_ := set $env .name true -}}{{- end -}}
{{- $env = merge $env .env -}}
{{- range list "GATEWAY_HOST" "GATEWAY_PORT" "GATEWAY_ADMIN_HOST" "GATEWAY_ADMIN_PORT" "GATEWAY_ADMIN_PUBLIC_URL" "GATEWAY_LEAVE_SECONDS" "GATEWAY_DRAIN_SECONDS" "GATEWAY_DATA_DIRECTORY" "GATEWAY_WORKERS" "GATEWAY_DATABASE_URL" "GATEWAY_PUBLIC_URL" "GATEWAY_FILES" "GATEWAY_FILES_ENDPOINT" "GATEWAY_FILES_REGION" -}}
  {{- if hasKey $env . -}}
    {{- fail (printf "env.%s: the chart has a value for it, or sets it itself" .) -}}
  {{- end -}}
{{- end -}}
{{- if and (hasKey .env "GATEWAY_CONFIG") (or .configMap .config .tls.secret) -}}
  {{- fail "env.GATEWAY_CONFIG: in place of `config`, `configMap` and `tls.secret`, not beside them" -}}
{{- end -}}
{{- range .secret.variables -}}
  {{- if hasKey $env . -}}
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
  {{- if not (dig "requests" "cpu" "" .resources) -}}
    {{- fail "autoscaling: it counts the share of `resources.requests.cpu` that is used" -}}
  {{- end -}}
{{- end -}}
{{- if and .serviceMonitor.enabled .serviceMonitor.secretKey -}}
  {{- if not .secret.name -}}
    {{- fail "serviceMonitor: /metrics is opened by a key of `secret`" -}}
  {{- end -}}
  {{- if and (eq .serviceMonitor.secretKey "GATEWAY_ADMIN_KEY") (not (has "GATEWAY_ADMIN_KEY" .secret.variables)) -}}
    {{- fail "serviceMonitor.secretKey: the gateway does not know GATEWAY_ADMIN_KEY, which is not in `secret.variables`" -}}
  {{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
