import { createH264MP4Encoder } from "h264-mp4-encoder"
import { draw } from "./draw.ts"
import { withoutTimes } from "./mp4.ts"
import { png } from "./png.ts"
import type { Clip, Scene } from "./scene.ts"

/** Renders a scene, which blocks its thread for seconds. The same scene gives the same bytes. */
export const encode = async (scene: Scene): Promise<Clip> => {
  const drawing = draw(scene)
  const encoder = await createH264MP4Encoder()
  encoder.width = scene.width
  encoder.height = scene.height
  encoder.frameRate = scene.framesPerSecond
  // At the default, best quality, 720p takes longer to encode than to watch.
  encoder.speed = 10
  encoder.groupOfPictures = scene.framesPerSecond
  encoder.initialize()
  for (let index = 0; index < scene.frames; index++) encoder.addFrameYuv(drawing.frame(index).bytes)
  encoder.finalize()
  const video = withoutTimes(encoder.FS.readFile(encoder.outputFilename).slice())
  encoder.FS.unlink(encoder.outputFilename)
  encoder.delete()
  const lastFrame = scene.lastFrame ? png(scene.width, scene.height, drawing.clean(scene.frames - 1).rgb()) : null
  return { video, lastFrame }
}
