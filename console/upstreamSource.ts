import type { UpstreamRecord } from "../src/admin/UpstreamRecord.ts"
import type { App } from "./app.ts"
import { reaches } from "./reaches.ts"

export type UpstreamRow = UpstreamRecord

/** Upstreams with their states; none for a role that does not see them. */
export const upstreamsOf = (app: App): Promise<ReadonlyArray<UpstreamRow>> =>
  !reaches(app.session, "adminOperations.upstreams")
    ? Promise.resolve([])
    : app.client.admin((admin) => admin.adminOperations.upstreams()).then(({ data }) => data)
