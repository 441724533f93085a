import { keyValues, wellFormed } from "../otlp/values.ts"
import type { Attributes, KeyValue } from "../otlp/values.ts"

/** A span in OTLP. */
export interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly kind: SpanKind
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: ReadonlyArray<KeyValue>
  readonly droppedAttributesCount: 0
  readonly events: ReadonlyArray<never>
  readonly droppedEventsCount: 0
  readonly links: ReadonlyArray<{
    readonly traceId: string
    readonly spanId: string
    readonly attributes: ReadonlyArray<KeyValue>
    readonly droppedAttributesCount: 0
  }>
  readonly droppedLinksCount: 0
  readonly status: { readonly code: 0 | 1 | 2; readonly message?: string }
}

export type SpanKind = 1 | 2 | 3
/** Span kinds: internal work, a received request, an outgoing call. */
export const kinds = { internal: 1, server: 2, client: 3 } as const

export interface NewSpan extends Pick<OtlpSpan, "traceId" | "spanId" | "parentSpanId" | "name" | "kind"> {
  /** Unix ms, with fractions. */
  readonly fromMs: number
  readonly toMs: number
  readonly attributes: Attributes
  /** Long texts, bounded by who made them. */
  readonly contents?: Readonly<Record<string, string>> | undefined
  /** The error message; absent for failures that are not the span's own. */
  readonly error?: string | undefined
  readonly links?: ReadonlyArray<{ readonly traceId: string; readonly spanId: string; readonly attributes: Attributes }>
}

/** Builds a span; undefined attributes are left out. */
export const otlpSpan = ({ attributes, contents, error, fromMs, links = [], name, toMs, ...of }: NewSpan): OtlpSpan => {
  const span: OtlpSpan = {
    ...of,
    name: wellFormed(name),
    startTimeUnixNano: nanos(fromMs),
    endTimeUnixNano: nanos(Math.max(fromMs, toMs)),
    attributes: contents === undefined ? keyValues(attributes) : [...keyValues(attributes), ...uncut(contents)],
    droppedAttributesCount: 0,
    events: [],
    droppedEventsCount: 0,
    links: links.map((link) => ({ ...link, attributes: keyValues(link.attributes), droppedAttributesCount: 0 })),
    droppedLinksCount: 0,
    status: error === undefined ? { code: 0 } : { code: 2, message: wellFormed(error) }
  }
  if (contents !== undefined)
    sizes.set(
      span,
      Object.values(contents).reduce((sum, text) => sum + text.length, 0)
    )
  return span
}

const sizes = new WeakMap<OtlpSpan, number>()

/** About the bytes of a span's contents; 0 if it has none. */
export const contentBytes = (span: OtlpSpan): number => sizes.get(span) ?? 0

/** Rounded to microseconds, the precision of a double for Unix time. */
const nanos = (ms: number): string => `${Math.round(ms * 1_000)}000`

const uncut = (contents: Readonly<Record<string, string>>): ReadonlyArray<KeyValue> =>
  Object.entries(contents).map(([key, stringValue]) => ({ key, value: { stringValue } }))
