import { AwsV4Signer } from "aws4fetch"

/** Credentials of AWS. */
export interface AwsKeys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/** A request as it came. */
interface Signed {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly body: string
}

/** Who signed a request; undefined if it is not signed. */
export const signerIn = (headers: Headers): string | undefined =>
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\//.exec(headers.get("authorization") ?? "")?.[1]

/** True if these keys signed the request for the service, by a clock that is not far from this one. */
export const isSigned = async (
  { body, headers, method, url }: Signed,
  keys: AwsKeys,
  service: string,
  nowMs = Date.now()
): Promise<boolean> => {
  const authorization = headers.get("authorization") ?? ""
  const [, region = ""] = /Credential=[^/]+\/\d{8}\/([^/]+)\//.exec(authorization) ?? []
  const named = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(";") ?? []
  const datetime = headers.get("x-amz-date") ?? ""
  if (keys.sessionToken !== (headers.get("x-amz-security-token") ?? undefined)) return false
  const sentMs = Date.parse(datetime.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"))
  if (Math.abs(sentMs - nowMs) > 300_000) return false
  const ownHeaders = named.filter((name) => name !== "host" && !/^x-amz-(?:date|security-token)$/.test(name))
  const again = await new AwsV4Signer({
    method,
    url,
    headers: Object.fromEntries(ownHeaders.map((name) => [name, headers.get(name) ?? ""])),
    body,
    ...keys,
    service,
    region,
    datetime,
    allHeaders: true
  }).sign()
  return again.headers.get("authorization") === authorization
}
