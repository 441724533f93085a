import { Schema } from "effect"
import { Usd } from "./values.ts"

const mostKindsOfImage = 64
/** A price of images by quality and size. */
const Kinds = Schema.Record({ key: Schema.String, value: Usd }).pipe(
  Schema.filter((prices) => {
    const kinds = Object.keys(prices)
    const wrong = kinds.find((kind) => kind !== "*" && !/^(?:\*|[\w.:-]{1,19})\/(?:\*|[\w.:-]{1,19})$/.test(kind))
    if (wrong !== undefined)
      return { path: [wrong], message: 'expected "quality/size", such as high/1024x1024, or "*"' }
    return (kinds.length > 0 && kinds.length <= mostKindsOfImage) || `expected 1 to ${mostKindsOfImage} kinds of image`
  })
)

/** A price of images, or one for each quality and size. */
export const ByImage = Schema.Union(Usd, Kinds)
