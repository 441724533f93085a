import { Record, Schema, Struct } from "effect"
import { answerField } from "../fields.ts"
import { firstMeasuresIn, laterMeasuresIn, measuresIn, rowMeasures } from "./measures.ts"
import { measures } from "./measureTable.ts"

const fields = Record.map(measures, ({ says }) => answerField(Schema.Int, says))
const settled = Record.map(measures, ({ says }) =>
  answerField(Schema.Int, `Settled ${says.charAt(0).toLowerCase()}${says.slice(1)}`)
)
/** Absent in answers of an older gateway to the command line. */
const laterFields = Record.map(fields, (field) => Schema.optional(field))

/** The measures of a request, as fields of a record. */
export const requestFields = {
  ...Struct.pick(fields, ...firstMeasuresIn("requests")),
  ...Struct.pick(laterFields, ...laterMeasuresIn("requests"))
}

/** Those that most requests lack. */
export const rareFields = Struct.pick(laterFields, ...measuresIn("request_details"))

/** The settled measures of hours. */
export const settledFields = {
  ...Struct.pick(settled, ...firstMeasuresIn("usage_hours")),
  ...Struct.pick(laterFields, ...laterMeasuresIn("usage_hours"))
}

const { video_frames: _, ...usedFields } = Struct.pick(fields, ...firstMeasuresIn("usage_days"))

/** All that is settled. Frames of video are shown as seconds. */
export const reportFields = {
  ...usedFields,
  ...Struct.pick(laterFields, ...laterMeasuresIn("usage_days")),
  video_seconds: answerField(Schema.Number, measures.video_frames.says)
}

/** Measures of single requests, which are not summed. */
export const entryFields = Struct.pick(laterFields, ...rowMeasures)
