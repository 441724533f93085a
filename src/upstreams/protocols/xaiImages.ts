import { InvalidRequest } from "../../contract/failures/Failure.ts"
import { editPictures } from "./editPictures.ts"
import { fitSize, lostFields } from "./imageSize.ts"
import type { Places, WholeForm } from "./Protocol.ts"

const ratios = ["1:1", "2:3", "3:2", "3:4", "4:3", "1:2", "2:1", "9:16", "16:9", "9:19.5", "19.5:9", "9:20", "20:9"]

/** Fields of xAI's own, which pass. */
const own = ["model", "prompt", "n", "quality", "response_format", "aspect_ratio", "resolution", "user"]
const carried: ReadonlySet<string> = new Set([...own, "size", "image", "images", "mask"])

/** Sizes are a ratio and a resolution there, and edits JSON. Source: its SDKs. */
const form: WholeForm = {
  lower: (request) => {
    const size = request["aspect_ratio"] == null ? fitSize(request, { ratios, resolutions: [1, 2] }) : undefined
    if (size instanceof InvalidRequest) return size
    const pictures = editPictures(request)
    if (pictures instanceof InvalidRequest) return pictures
    const links = pictures.map(({ url }) => ({ url, type: "image_url" }))
    const passed = Object.fromEntries(own.flatMap((name) => (request[name] == null ? [] : [[name, request[name]]])))
    return {
      body: {
        ...passed,
        ...(size && { aspect_ratio: size.ratio, ...(size.resolution > 1 && { resolution: `${size.resolution}k` }) }),
        ...(links.length === 1 && { image: links[0] }),
        ...(links.length > 1 && { images: links })
      },
      adapted: [...lostFields(request, carried), ...(size?.isExact === false ? ["size"] : [])]
    }
  },
  raise: (answer) => answer
}

/** xAI's images. It has no variations. */
export const xaiImages = {
  images: { path: "/images/generations", form },
  edits: { path: "/images/edits", form },
  variations: undefined
} as const satisfies Places
