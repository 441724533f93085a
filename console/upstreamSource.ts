import type { ModelRecord, UpstreamRecord } from "../src/admin/UpstreamRecord.ts"
import type { App } from "./app.ts"

export type UpstreamRow = UpstreamRecord
export type ModelRow = ModelRecord

export const upstreamsOf = (app: App): Promise<ReadonlyArray<UpstreamRow>> =>
  app.client.admin((admin) => admin.adminOperations.upstreams()).then(({ data }) => data)

export const servedModels = (app: App): Promise<ReadonlyArray<ModelRow>> =>
  app.client.admin((admin) => admin.adminOperations.models()).then(({ data }) => data)
