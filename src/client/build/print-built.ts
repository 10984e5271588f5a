import type { BuiltImage } from '../../apps/image/build-image.js';
import type { CliContext } from '../context.js';
import { printJson, printLine } from '../output/print.js';

export function printBuilt(
  cli: CliContext,
  image: BuiltImage & { readonly engine: string; readonly seconds: number },
  isJson: boolean,
): void {
  const { reference, imageId, built, engine, seconds } = image;
  if (isJson) {
    printJson(cli, 'build', {
      reference,
      imageId,
      engine,
      built,
      seconds: Number(seconds.toFixed(1)),
    });
    return;
  }
  const id = imageId.replace('sha256:', '').slice(0, 12);
  const what = built ? `built in ${seconds.toFixed(1)} s` : 'up to date';
  printLine(cli, `${reference} (${id} on ${engine}): ${what}`);
}
