import type { SpanContext } from "../../contract/Trace.ts"

/** Whether what begins now is recorded. */
export type Sampler = (parent: SpanContext | undefined) => boolean

/** Samplers by their names in `OTEL_TRACES_SAMPLER`. @param ratio of what has no parent, 0 to 1 */
export const samplers = {
  always_on: () => () => true,
  always_off: () => () => false,
  traceidratio: (ratio) => ofRatio(ratio),
  parentbased_always_on: () => (parent) => parent?.isSampled ?? true,
  parentbased_always_off: () => (parent) => parent?.isSampled ?? false,
  parentbased_traceidratio: (ratio) => (parent) => parent?.isSampled ?? Math.random() < ratio
} as const satisfies Readonly<Record<string, (ratio: number) => Sampler>>

/** By the trace's id, so that all who sample by ratio take the same traces; a trace that begins here has none yet. */
const ofRatio =
  (ratio: number): Sampler =>
  (parent) =>
    parent === undefined ? Math.random() < ratio : Number.parseInt(parent.traceId.slice(-13), 16) < ratio * 2 ** 52
