import { Effect } from "effect"
import type { Handlers } from "../contract/handlers.ts"
import { wholeList } from "../contract/paging.ts"
import { Administration } from "./Administration.ts"
import type { AdminOperationsApi } from "./OperationsApi.ts"
import { makeReachedRecords } from "./ReachedRecords.ts"

type StoredOperations = Omit<Handlers<typeof AdminOperationsApi>, "upstreams" | "models">

/**
 * The operations on what the database has.
 * @param isServed true while a gateway serves from it
 */
export const makeStoredOperations = (isServed: Effect.Effect<boolean>) =>
  Effect.map(Effect.all([makeReachedRecords(isServed), Administration]), ([records, { nodes }]): StoredOperations => ({
    listTasks: ({ caller, urlParams }) => records.listTasks(caller, urlParams),
    showTask: ({ caller, path }) => records.showTask(caller, path.id),
    cancelTask: ({ caller, path }) => records.cancelTask(caller, path.id),
    usage: ({ caller, request, urlParams }) => records.usage(caller, urlParams, request.headers),
    listRequests: ({ caller, urlParams }) => records.listRequests(caller, urlParams),
    exportRequests: ({ caller, request, urlParams }) => records.exportRequests(caller, urlParams, request),
    requestHistogram: ({ caller, urlParams }) => records.requestHistogram(caller, urlParams),
    showRequest: ({ caller, path }) => records.showRequest(caller, path.id),
    listDeliveries: ({ caller, urlParams }) => records.listDeliveries(caller, urlParams),
    redeliver: ({ caller, path }) => records.redeliver(caller, path.id),
    nodes: () => Effect.map(nodes.list, wholeList),
    audit: ({ caller, urlParams }) => records.listAudit(caller, urlParams),
    showAudit: ({ caller, path }) => records.showAudit(caller, path.id)
  }))
