import { Schema } from "effect"
import { wrongBaseUrl } from "../baseUrl.ts"
import { Regex } from "../../regex/Regex.ts"
import { secretOf } from "../SecretFiles.ts"
import { headerRule, isHeaderValue } from "../../contract/text/headerValue.ts"
import { excludes, noExclusion } from "../../contract/callers/permission.ts"
import { spanOf } from "../spanOf.ts"

/** A name, or part of an address. */
export const Text = Schema.NonEmptyString

export const HttpUrl = Schema.String.pipe(
  Schema.filter((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), {
    message: () => "expected an http:// or https:// address"
  })
)

/** The gateway's own address, to which paths are added. */
export const PublicAddress = HttpUrl.pipe(
  Schema.filter((text) => !/[?#]/.test(text), { message: () => "expected an address without a query and a fragment" })
)

export const RedisUrl = Schema.String.pipe(
  Schema.filter((text) => /^(?:rediss?|valkey):\/\/./.test(text) && URL.canParse(text), {
    message: () => "expected redis://host:port or rediss://host:port"
  })
)

export const BaseUrl = Schema.String.pipe(Schema.filter((text) => wrongBaseUrl(text)))

/** Text, or `{ file }` or `{ command }`. */
export const Secret = secretOf(Schema.NonEmptyString)
/** A secret that is sent in a header. */
export const HeaderSecret = secretOf(
  Schema.NonEmptyString.pipe(Schema.filter((text) => isHeaderValue(text), { message: () => headerRule }))
)

export const Seconds = Schema.Number.pipe(Schema.positive())
export const Count = Schema.Int.pipe(Schema.positive())
export const Usd = Schema.Number.pipe(Schema.nonNegative())
/** The largest grant to an account (`ledger/store/Grants.ts`). */
export const Balance = Usd.pipe(Schema.lessThanOrEqualTo(9_000_000))

export const LogLevels = Schema.Literal("debug", "info", "warn", "error")
export const LogFormats = Schema.Literal("json", "text")

export const Origin = Schema.String.pipe(
  Schema.filter((text) => text === "*" || (URL.canParse(text) && new URL(text).origin === text), {
    message: () => "expected an origin such as https://app.example.com, or *"
  })
)

/** A JavaScript regular expression that needs no backtracking. */
export const Pattern = Schema.NonEmptyString.pipe(
  Schema.filter((text) => {
    const regex = Regex.parse(text)
    return regex instanceof Regex
      ? true
      : `expected a regular expression without look-arounds and back references; ${regex.message}`
  })
)

/** `30d`, `12h`, `90m`. */
export const Span = Schema.String.pipe(
  Schema.filter((text) => spanOf(text) !== undefined, {
    message: () => "expected a number of days, hours, minutes or seconds such as 30d, 12h, 90m, 45s"
  })
)

/** `claude-*`. No pattern excludes models. */
export const ModelPattern = Text.pipe(Schema.filter((pattern) => !excludes(pattern), { message: () => noExclusion }))

/** A day or a time in ISO 8601. */
export const Moment = Schema.String.pipe(
  Schema.filter(
    (text) => /^\d{4}-\d\d-\d\d(?:T[\d:.]{5,12}(?:Z|[+-]\d\d:\d\d))?$/.test(text) && !Number.isNaN(Date.parse(text)),
    {
      message: () => "expected a day such as 2027-01-31 or a time such as 2027-01-31T12:00:00Z"
    }
  )
)
