/**
 * Turns JSON into rows with these columns.
 *
 * @param place of the JSON among the statement's values: `$1`
 * @param texts text columns; all others are integers
 */
export const recordset = (place: string, names: ReadonlyArray<string>, texts: ReadonlySet<string>): string =>
  `json_to_recordset(${place}::text::json) AS given (${names.map((name) => `${name} ${texts.has(name) ? "text" : "bigint"}`).join(", ")})`
