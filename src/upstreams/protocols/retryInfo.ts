import { listAt, textAt } from "../../contract/json/json.ts"

/** The delay in the `RetryInfo` of Google's errors (`"34s"`), in ms; undefined if there is none. */
export const retryInfoMs = (error: unknown): number | undefined => {
  const info = listAt(error, "details").find((detail) => textAt(detail, "@type")?.endsWith("google.rpc.RetryInfo"))
  const [, seconds] = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(textAt(info, "retryDelay") ?? "") ?? []
  return seconds === undefined ? undefined : Math.round(Number(seconds) * 1_000)
}
