import type { KeyRecord } from "../../src/admin/KeyRecord.ts"
import { field, textInput, wholeNumber } from "../components/fields.ts"
import { inputField } from "../components/staleEdit.ts"
import { h } from "../dom.ts"
import { words } from "../words/words.ts"

const text = words.keyForm

type Limits = KeyRecord["limits"]

/** The fields of a key's or an account's limits. @param of `key`, `account`: the prefix of their ids */
export const limitFields = (of: string, limits?: Limits) => {
  const input = (id: string, value: number | null | undefined) =>
    textInput(value === null || value === undefined ? "" : String(value), {
      id: `${of}-${id}`,
      inputmode: "numeric",
      placeholder: words.fields.noLimit
    })
  const requests = input("rpm", limits?.requests_per_minute)
  const tokens = input("tpm", limits?.tokens_per_minute)
  const concurrent = input("concurrent", limits?.concurrent_requests)
  const tasks = input("tasks", limits?.concurrent_tasks)
  return {
    body: [
      h("div", { class: "pair" }, field(text.requests, requests), field(text.tokens, tokens)),
      h("div", { class: "pair" }, field(text.concurrent, concurrent), field(text.tasks, tasks))
    ],
    read: () => ({
      requests_per_minute: wholeNumber(requests, text.requests),
      tokens_per_minute: wholeNumber(tokens, text.tokens),
      concurrent_requests: wholeNumber(concurrent, text.concurrent),
      concurrent_tasks: wholeNumber(tasks, text.tasks)
    }),
    /** As parts of a record that another user may have changed. */
    edited: <A extends { readonly limits: Limits }>() => [
      inputField<A>(text.requests, requests, (now) => now.limits.requests_per_minute),
      inputField<A>(text.tokens, tokens, (now) => now.limits.tokens_per_minute),
      inputField<A>(text.concurrent, concurrent, (now) => now.limits.concurrent_requests),
      inputField<A>(text.tasks, tasks, (now) => now.limits.concurrent_tasks)
    ]
  }
}
