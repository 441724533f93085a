import type { UpstreamRecord } from "../src/admin/UpstreamRecord.ts"
import type { App } from "./app.ts"

export type UpstreamRow = UpstreamRecord

export const upstreamsOf = (app: App): Promise<ReadonlyArray<UpstreamRow>> =>
  app.client.admin((admin) => admin.adminOperations.upstreams()).then(({ data }) => data)
