import { prefersCsv } from "./prefersCsv.ts"

/** True if a request wants CSV: by `format`, otherwise by its `Accept`. */
export const wantsCsv = (format: "json" | "csv" | undefined, headers: Headers): boolean =>
  format === "csv" || (format === undefined && prefersCsv(headers.get("accept") ?? ""))

/**
 * CSV as a file to save.
 *
 * @param name the file's, without its extension
 */
export const csvAnswer = (text: string, name: string, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(`${text}\r\n`, {
    headers: {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="${name}.csv"`,
      ...headers
    }
  })
