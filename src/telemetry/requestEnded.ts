import { Effect } from "effect"
import type { RequestRecord } from "../contract/records/RequestRecord.ts"
import { AccessLog } from "./AccessLog.ts"
import { RequestLog } from "./RequestLog.ts"
import { CurrentTracing } from "./tracing/Tracing.ts"

/** Makes a function that logs requests which have ended. Those of an account's key that are not GETs are also stored. */
export const makeRequestEnded = Effect.map(
  Effect.all([AccessLog, RequestLog, CurrentTracing]),
  ([log, rows, tracing]) =>
    (record: RequestRecord): void => {
      if (record.trace !== undefined) tracing?.request(record, record.trace)
      log.record(record)
      if (record.account !== undefined && record.account !== "" && record.method !== "GET" && record.hasRow)
        rows.append(record)
    }
)
