import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { Schema } from "effect"
import { parse } from "yaml"
import { onPostgres, onSqlite } from "./chart.ts"
import type { Values } from "./chart.ts"

const root = resolve(import.meta.dirname, "../../..")
/** A file of the repository. */
export const textOf = (...path: ReadonlyArray<string>) => readFileSync(join(root, ...path), "utf8")

export const https = { tls: { secret: "model-gateway-tls" } }
export const everything = {
  ...onPostgres,
  ...https,
  workers: 4,
  config: {
    server: { trusted_proxies: ["10.0.0.0/8"] },
    models: { "house-default": { routes: [{ upstream: "sandbox", model: "sandbox-text" }] } }
  },
  env: { GATEWAY_LOG: "warn", NODE_EXTRA_CA_CERTS: "/etc/authority/ca.pem" },
  extraEnv: [{ name: "AWS_PROFILE", valueFrom: { configMapKeyRef: { name: "aws", key: "profile" } } }],
  extraVolumes: [{ name: "authority", configMap: { name: "authority" } }],
  extraVolumeMounts: [{ name: "authority", mountPath: "/etc/authority", readOnly: true }],
  initContainers: [{ name: "proxy", image: "registry.example.com/proxy:1", restartPolicy: "Always" }],
  host: "::",
  service: { ipFamilyPolicy: "PreferDualStack", ipFamilies: ["IPv6", "IPv4"] },
  files: { bucket: "s3://bucket/prefix", endpoint: "https://s3.example.com", region: "eu-west-1" },
  ingress: { enabled: true, className: "nginx", host: "gateway.example.com", tlsSecret: "gateway-example-com" },
  autoscaling: { enabled: true, maxReplicas: 20 },
  networkPolicy: {
    enabled: true,
    from: [{ namespaceSelector: { matchLabels: { team: "a" } } }],
    egress: [{ ports: [{ port: 443 }] }, { to: [{ ipBlock: { cidr: "10.1.0.0/16" } }], ports: [{ port: 5432 }] }]
  },
  serviceMonitor: { enabled: true, labels: { release: "prometheus" }, tlsConfig: { insecureSkipVerify: true } },
  prometheusRule: { enabled: true },
  imagePullSecrets: [{ name: "registry" }],
  serviceAccount: { name: "gateway" },
  podAnnotations: { "example.com/team": "a" },
  podLabels: { team: "a" },
  priorityClassName: "high",
  nodeSelector: { "kubernetes.io/arch": "arm64" },
  tolerations: [{ key: "gateway", operator: "Exists" }],
  affinity: { podAntiAffinity: {} }
}
const [, page = ""] = /^```yaml\n(# production\.yaml\n[^]*?)^```$/m.exec(textOf("docs/deployment.md")) ?? []
/** Values that are rendered, each for what it is. */
export const matrix: Readonly<Record<string, Values>> = {
  "docs/deployment.md": Schema.decodeUnknownSync(Schema.Object)(parse(page)) as Values,
  "nothing given": {},
  SQLite: onSqlite,
  "SQLite on a volume that exists, with HTTPS": { ...https, persistence: { existingClaim: "books" } },
  "SQLite, its files in a bucket": { files: { bucket: "s3://bucket" } },
  Postgres: onPostgres,
  "Postgres, its configuration in the database": { ...onPostgres, env: { GATEWAY_CONFIG: "postgres" } },
  "Postgres, a ConfigMap that exists": { ...onPostgres, configMap: "gateway-yaml" },
  "a route of the Gateway API": {
    route: { enabled: true, host: "gateway.example.com", parentRefs: [{ name: "public", sectionName: "https" }] }
  },
  "a platform that chooses the user": { podSecurityContext: { runAsUser: null, runAsGroup: null, fsGroup: null } },
  "Redis behind sentinels, by TLS": {
    ...onPostgres,
    secret: { name: "s", variables: ["GATEWAY_DATABASE_URL", "GATEWAY_SECRET"] },
    redis: {
      sentinel: {
        hosts: ["sentinel-0.sentinels:26379", "[fd00::1]:26379"],
        name: "mymaster",
        tls: true,
        username: "limits",
        secretKey: "REDIS_PASSWORD",
        sentinelUsername: "finder",
        sentinelSecretKey: "SENTINEL_PASSWORD"
      }
    }
  },
  "a text of gateway.yaml, with HTTPS": {
    ...https,
    config:
      "# As it is written.\nserver: { tls: { cert: /run/secrets/tls/tls.crt, key: /run/secrets/tls/tls.key } }\nmodels: {}\n"
  },
  "metrics without a key": {
    config: { server: { metrics: true } },
    serviceMonitor: { enabled: true, secretKey: "" }
  },
  "an address for operators": {
    ...onSqlite,
    service: { type: "LoadBalancer" },
    admin: {
      enabled: true,
      publicUrl: "https://admin.example.com",
      from: [{ namespaceSelector: { matchLabels: { team: "operators" } } }]
    },
    config: {
      server: { admin: { tls: { cert: "/run/secrets/gateway/tls.crt", key: "/run/secrets/gateway/tls.key" } } },
      sign_in: {
        oidc: [{ issuer: "https://login.example.com", client_id: "a", client_secret: "b" }],
        roles: [{ group: "all", role: "auditor" }]
      }
    },
    publicUrl: "https://gateway.example.com",
    networkPolicy: { enabled: true },
    serviceMonitor: { enabled: true }
  },
  "a namespace that denies what no policy allows": {
    ...onPostgres,
    networkPolicy: { enabled: true, from: [{ podSelector: {} }], egress: [{ ports: [{ port: 5432 }] }] }
  },
  "names of one's own": { nameOverride: "models", fullnameOverride: "models" },
  "labels that the chart has too": {
    ...onPostgres,
    podLabels: { "app.kubernetes.io/name": "other" },
    podAnnotations: { "checksum/start": "x" },
    serviceMonitor: { enabled: true, labels: { "app.kubernetes.io/instance": "other" } },
    ingress: {
      enabled: true,
      host: "gateway.example.com",
      annotations: { "nginx.ingress.kubernetes.io/backend-protocol": "GRPC" }
    },
    tls: { secret: "t" }
  },
  everything
}
