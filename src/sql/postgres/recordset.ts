/**
 * Rows of JSON as rows with these columns.
 *
 * @param place of the JSON's text among the statement's values: `$1`
 * @param texts columns that are text; all others are whole numbers
 */
export const recordset = (place: string, names: ReadonlyArray<string>, texts: ReadonlySet<string>): string =>
  `json_to_recordset(${place}::text::json) AS given (${names.map((name) => `${name} ${texts.has(name) ? "text" : "bigint"}`).join(", ")})`
