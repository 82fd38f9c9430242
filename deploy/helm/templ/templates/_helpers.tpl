{{- define "templ.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" }}
{{- else }}
{{- $name := default .Chart.Name .Values.nameOverride }}
{{- if contains $name .Release.Name }}
{{- .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 52 | trimSuffix "-" }}
{{- end }}
{{- end }}
{{- end }}

{{- define "templ.selectorLabels" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "templ.watcherLabels" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride }}-watcher
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "templ.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{ include "templ.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "templ.image" -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end }}

{{- define "templ.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "templ.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "templ.env" -}}
- name: TEMPL_BROKER
  value: {{ required "kafka.broker must name HOST:PORT of the Kafka brokers" .Values.kafka.broker | quote }}
- name: TEMPL_PREFIX
  value: {{ .Values.kafka.prefix | quote }}
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- range $name, $value := .Values.environment }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- end }}

{{- define "templ.secretMounts" -}}
{{- range .Values.secrets }}
- name: secret-{{ .name }}
  mountPath: /etc/templ/secrets/{{ .name }}
  readOnly: true
{{- end }}
{{- end }}

{{- define "templ.volumes" -}}
- name: tmp
  emptyDir:
    sizeLimit: 1Gi
{{- range .Values.secrets }}
- name: secret-{{ .name }}
  secret:
    secretName: {{ .secretName }}
    defaultMode: 0440
{{- end }}
{{- end }}

{{- /* One container of a pod: a role with its own port, probes and resources. */}}
{{- define "templ.container" -}}
{{- $root := .root -}}
- name: {{ .role }}
  image: {{ include "templ.image" $root }}
  imagePullPolicy: {{ $root.Values.image.pullPolicy }}
  {{- if eq .role "watcher" }}
  args: [watch, --state, /var/lib/templ/watcher]
  {{- else }}
  args: [worker, --role, {{ .role }}, --state, /var/lib/templ/worker]
  {{- end }}
  env:
    {{- include "templ.env" $root | nindent 4 }}
    - name: TEMPL_METRICS_HOST
      value: "0.0.0.0"
    - name: TEMPL_METRICS_PORT
      value: {{ $root.Values.metricsPort | quote }}
    {{- if and (eq .role "cleaner") (not (hasKey $root.Values.settings "TEMPL_CLEANER_CHILDREN")) }}
    - name: TEMPL_CLEANER_CHILDREN
      valueFrom:
        resourceFieldRef:
          containerName: cleaner
          resource: limits.cpu
    {{- end }}
  ports:
    - name: {{ .role }}
      containerPort: {{ .port }}
  startupProbe:
    httpGet: {path: /live, port: {{ .role }}}
    periodSeconds: 5
    failureThreshold: 60
  livenessProbe:
    httpGet: {path: /live, port: {{ .role }}}
    periodSeconds: 15
    timeoutSeconds: 10
    failureThreshold: 4
  readinessProbe:
    httpGet: {path: /ready, port: {{ .role }}}
    periodSeconds: 10
    timeoutSeconds: 10
  resources:
    {{- toYaml .resources | nindent 4 }}
  securityContext:
    {{- include "templ.securityContext" $root | nindent 4 }}
  volumeMounts:
    - name: state
      mountPath: /var/lib/templ
    - name: tmp
      mountPath: /tmp
    {{- include "templ.secretMounts" $root | nindent 4 }}
{{- end }}

{{- /* The console of a pod. It listens at 127.0.0.1, so no probe of the kubelet reaches it. It writes
nothing to the volume. */}}
{{- define "templ.console" -}}
- name: console
  image: {{ include "templ.image" . }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  args: [console, --state, /var/lib/templ/worker]
  env:
    {{- include "templ.env" . | nindent 4 }}
    - name: TEMPL_CONSOLE_PORT
      value: {{ .Values.console.port | quote }}
  ports:
    - name: console
      containerPort: {{ .Values.console.port }}
  resources:
    {{- toYaml .Values.console.resources | nindent 4 }}
  securityContext:
    {{- include "templ.securityContext" . | nindent 4 }}
  volumeMounts:
    - name: state
      mountPath: /var/lib/templ
      readOnly: true
    - name: tmp
      mountPath: /tmp
    {{- include "templ.secretMounts" . | nindent 4 }}
{{- end }}
