import { Validator } from '@cfworker/json-schema';
import { afterEach, expect } from 'vitest';
import { Listed } from '../../src/gateway/documents/listed.ts';
import { methods } from '../../src/gateway/methods/methods.ts';
import { schemaOf } from '../../src/gateway/socket/dispatch.ts';

const misfits: string[] = [];

afterEach(() => {
  expect(misfits.splice(0)).toEqual([]);
});

// The methods of every gateway of this process: what they answer fits their schema, with no field beside it.
for (const method of methods) {
  const { name, output, perform } = method;
  let validator: Validator | undefined;
  const check = (answer: unknown) => {
    validator ??= new Validator(schemaOf(output, 'output') as object, '2020-12', false);
    const { valid, errors } = validator.validate(JSON.parse(JSON.stringify(answer)));
    if (!valid)
      misfits.push(`${name}: ${errors.map((one) => `${one.instanceLocation} ${one.error}`).join('; ')}`);
  };
  method.perform = async (call, input) => {
    const answer = await perform(call, input);
    if (!(answer instanceof Listed)) check(answer);
    else watchPages(answer, check);
    return answer;
  };
}

/** Checks what a list gives: as a page of a frame, or as the text of a response, if it is read to its end. */
function watchPages(listed: Listed, check: (answer: unknown) => void): void {
  const page = listed.page.bind(listed);
  const text = listed.text.bind(listed);
  listed.page = async () => {
    const answer = await page();
    check(answer);
    return answer;
  };
  listed.text = async function* () {
    let all = '';
    for await (const piece of text()) {
      all += piece;
      yield piece;
    }
    check(JSON.parse(all));
  };
}
