import { leaves } from "../config/changedFields.ts"
import { isObject, textAt } from "../contract/json/json.ts"
import type { AuditChange, AuditRecord } from "./AuditRecord.ts"

/** More changed fields than this are left out. */
const most = 200

/** Fields of records that repeat another one, or that change with every change. */
const repeated = new Set(["object", "version", "id", "nano_usd", "budget", "created_at"])

const isRepeated = (field: string): boolean => {
  const steps = field.split(".")
  return repeated.has(steps.at(-1) ?? "") || steps.includes("budget")
}

/** Actions whose target is an account. */
const ofAccounts = /^(?:account|webhooks|ledger)\./

/** Actions whose target is a key. */
const ofKeys = /^(?:key|guardrail)\./

/** A row of the audit log as operators see it. */
export const auditRecordOf = (
  row: Pick<AuditRecord, "id" | "time" | "actor" | "via" | "action" | "target" | "before" | "after">
): AuditRecord => {
  const { action, actor, after, before, id, target, time, via } = row
  const isKey = action.startsWith("key.")
  const about = isObject(after) ? after : isObject(before) ? before : {}
  return {
    id,
    time,
    actor,
    via,
    action,
    target,
    target_name: isKey ? (textAt(about, "name") ?? null) : null,
    account: ofAccounts.test(action) ? target : ofKeys.test(action) ? (textAt(about, "account") ?? null) : null,
    changes: changesOf(action, before, after),
    before,
    after
  }
}

/** The fields that differ between two states. Of a state that begins or ends, fields without a value are left out. */
const changesOf = (action: string, before: unknown, after: unknown): ReadonlyArray<AuditChange> => {
  const isWhole = !isObject(before) || !isObject(after)
  const isLeftOut = (field: string) => (action.startsWith("configuration.") ? field === "version" : isRepeated(field))
  const fieldsOf = (state: unknown) =>
    new Map(isObject(state) ? [...leaves(state)].filter(([field]) => !isLeftOut(field)) : [])
  const [former, next] = [fieldsOf(before), fieldsOf(after)]
  return [...new Set([...former.keys(), ...next.keys()])]
    .map((field) => ({ field, before: former.get(field) ?? null, after: next.get(field) ?? null }))
    .filter(({ after, before }) => JSON.stringify(before) !== JSON.stringify(after))
    .filter(({ after, before }) => !isWhole || !(isBlank(before) && isBlank(after)))
    .slice(0, most)
}

const blanks = new Set<unknown>([null, false, 0, "", "0"])

const isBlank = (value: unknown): boolean => blanks.has(value) || (Array.isArray(value) && value.length === 0)
