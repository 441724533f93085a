import type { SpanContext } from "../../contract/records/Trace.ts"

/** Decides whether a new span is recorded. */
export type Sampler = (parent: SpanContext | undefined) => boolean

/** Samplers by their names in `OTEL_TRACES_SAMPLER`. @param ratio of spans without a parent, 0 to 1 */
export const samplers = {
  always_on: () => () => true,
  always_off: () => () => false,
  traceidratio: (ratio) => ofRatio(ratio),
  parentbased_always_on: () => (parent) => parent?.isSampled ?? true,
  parentbased_always_off: () => (parent) => parent?.isSampled ?? false,
  parentbased_traceidratio: (ratio) => (parent) => parent?.isSampled ?? Math.random() < ratio
} as const satisfies Readonly<Record<string, (ratio: number) => Sampler>>

/** Decides by trace id, so that all services with a ratio sampler take the same traces. A new trace has no id yet. */
const ofRatio =
  (ratio: number): Sampler =>
  (parent) =>
    parent === undefined ? Math.random() < ratio : Number.parseInt(parent.traceId.slice(-13), 16) < ratio * 2 ** 52
