import { exportSettings, signals, Variables } from "../otlp/exportSettings.ts"
import type { Environment, ExportSettings } from "../otlp/exportSettings.ts"
import { samplers } from "./sampler.ts"
import type { Sampler } from "./sampler.ts"

/** Settings of the span export. */
export interface OtlpSettings extends ExportSettings {
  readonly sampler: Sampler
}

/** Reads OpenTelemetry's standard variables; `settings` is undefined if export is off or misconfigured. */
export const otlpSettings = (
  env: Environment
): { readonly settings: OtlpSettings | undefined; readonly warnings: ReadonlyArray<string> } => {
  const variables = new Variables(env)
  const { warnings } = variables
  const settings = exportSettings(variables, signals.traces)
  if (settings === undefined) return { settings, warnings }
  const sampler = variables.get("OTEL_TRACES_SAMPLER") ?? "parentbased_always_on"
  const isKnown = isSampler(sampler)
  if (!isKnown) {
    warnings.push(`OTEL_TRACES_SAMPLER: expected one of ${Object.keys(samplers).join(", ")}; got "${sampler}"`)
  }
  const ratio = variables.number("OTEL_TRACES_SAMPLER_ARG", 1, 0, 1)
  return { settings: { ...settings, sampler: samplers[isKnown ? sampler : "parentbased_always_on"](ratio) }, warnings }
}

const isSampler = (name: string): name is keyof typeof samplers => Object.hasOwn(samplers, name)
