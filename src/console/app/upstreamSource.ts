import type { App } from "./app.ts"

/** An upstream as the process that answers finds it. */
export interface UpstreamRow {
  readonly name: string
  readonly kind: string
  readonly protocol: string | null
  readonly base_url: string | null
  readonly models: ReadonlyArray<string>
  readonly circuit: "closed" | "probing" | "open"
  readonly retry_in_seconds: number | null
  readonly running: number | null
  readonly waiting: number | null
  readonly answers: number
  readonly failures: number
  readonly latency_ms: { readonly p50: number; readonly p95: number } | null
  readonly last_failure: { readonly time: string; readonly status: number | null; readonly message: string } | null
}

/** A model as it is served. */
export interface ModelRow {
  readonly id: string
  readonly kind: "text" | "video" | "embedding"
  readonly routes: ReadonlyArray<{ readonly upstream: string; readonly model: string }>
  readonly context_tokens: number | null
  readonly max_output_tokens: number | null
  readonly price: {
    readonly input: number
    readonly cached_input: number
    readonly output: number
    readonly per_search: number
    readonly per_second: number
  } | null
  readonly price_from?: "list" | "file" | "built-in" | null
  readonly capabilities?: ReadonlyArray<string>
}

export const upstreamsOf = (app: App): Promise<ReadonlyArray<UpstreamRow>> =>
  app.client.json<{ readonly data: ReadonlyArray<UpstreamRow> }>("/admin/v1/upstreams").then(({ data }) => data)

export const servedModels = (app: App): Promise<ReadonlyArray<ModelRow>> =>
  app.client.json<{ readonly data: ReadonlyArray<ModelRow> }>("/admin/v1/models").then(({ data }) => data)
