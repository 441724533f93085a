import { Schema } from "effect"
import { byKind, render } from "./chart.ts"
import type { Values } from "./chart.ts"

const Variable = Schema.Struct({
  name: Schema.String,
  value: Schema.optionalWith(Schema.String, { default: () => "" })
})
const Deployment = Schema.Struct({
  spec: Schema.Struct({
    replicas: Schema.optional(Schema.Int),
    strategy: Schema.Struct({ type: Schema.String, rollingUpdate: Schema.optional(Schema.Object) }),
    template: Schema.Struct({
      metadata: Schema.Struct({ annotations: Schema.Struct({ "checksum/start": Schema.String }) }),
      spec: Schema.Struct({
        affinity: Schema.optional(Schema.Object),
        topologySpreadConstraints: Schema.optional(Schema.Array(Schema.Struct({ topologyKey: Schema.String }))),
        terminationGracePeriodSeconds: Schema.Int,
        containers: Schema.Tuple(Schema.Struct({ image: Schema.String, env: Schema.Array(Variable) }))
      })
    })
  })
})
export const Monitor = Schema.Struct({
  apiVersion: Schema.Literal("monitoring.coreos.com/v1"),
  kind: Schema.Literal("ServiceMonitor"),
  spec: Schema.Struct({
    selector: Schema.Struct({ matchLabels: Schema.Record({ key: Schema.String, value: Schema.String }) }),
    endpoints: Schema.Tuple(
      Schema.Struct({
        port: Schema.Literal("http"),
        path: Schema.Literal("/metrics"),
        scheme: Schema.Literal("http", "https"),
        interval: Schema.String,
        authorization: Schema.Struct({
          credentials: Schema.Struct({ name: Schema.String, key: Schema.String })
        }),
        tlsConfig: Schema.optional(Schema.Object),
        relabelings: Schema.Tuple(
          Schema.Struct({ targetLabel: Schema.Literal("job"), replacement: Schema.Literal("gateway") })
        )
      })
    )
  })
})
export const rendered = async (values: Values) => {
  const { error, exitCode, out } = await render(values)
  if (exitCode !== 0) throw new Error(error)
  return out
}
const ConfigMap = Schema.Struct({ data: Schema.Struct({ "gateway.yaml": Schema.String }) })
/** The gateway.yaml that pods are given. */
export const configOf = async (values: Values): Promise<string> => {
  const given = byKind(await rendered(values)).get("ConfigMap")
  return given === undefined ? "{}" : Schema.decodeUnknownSync(ConfigMap)(given).data["gateway.yaml"]
}
export const deploymentOf = async (values: Values) =>
  Schema.decodeUnknownSync(Deployment)(byKind(await rendered(values)).get("Deployment")).spec
