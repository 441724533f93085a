import { Schema } from "effect"
import { given } from "./given.ts"
import { Count, HttpUrl, Secret, Text } from "./values.ts"

/** `files` in its long form: where files live that the gateway serves. */
export const Files = Schema.Struct({
  at: given(
    Text,
    "`s3://<bucket>/<prefix>`, or a folder, relative to `gateway.yaml`, that several machines may share.",
    "the data directory"
  ),
  endpoint: given(
    HttpUrl,
    "Of S3, or of what speaks its protocol (MinIO, R2, Ceph, …), without the bucket.",
    "AWS' own"
  ),
  region: given(Text, "The bucket's region.", "`AWS_REGION`, else `us-east-1`"),
  path_style: given(
    Schema.Boolean,
    "`true`: `https://server/bucket/key`; `false`: `https://bucket.server/key`.",
    "`true`"
  ),
  access_key_id: given(Secret, "With the two below: roles of machines are not asked for.", "`AWS_ACCESS_KEY_ID`"),
  secret_access_key: given(Secret, "The key itself.", "`AWS_SECRET_ACCESS_KEY`"),
  session_token: given(Secret, "Where the key is a session's.", "`AWS_SESSION_TOKEN`"),
  max_bytes: given(Count, "The largest file.", "2 GiB"),
  free_bytes: given(Schema.Int.pipe(Schema.nonNegative()), "What stays free of a disk.", "512 MiB")
})
