import { mkdirSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { at } from '../scripts/support/paths.mjs';
import { inBrowser, painted, pixels, pointOnBar } from './fixtures/timeline/browser.js';
import { empty, everyday, hostile, large } from './fixtures/timeline/samples.js';

const opened = inBrowser();

describe('looks', () => {
  it('follows the system until the button says otherwise, and remembers that', async () => {
    const page = await opened(everyday, { scheme: 'dark' });
    const ground = (): Promise<string> =>
      page.evaluate(`getComputedStyle(document.body).backgroundColor`);
    const dark = await ground();
    const darkBars = await pixels(page);
    await page.emulateMedia({ colorScheme: 'light' });
    await painted(page);
    const light = await ground();
    const lightBars = await pixels(page);
    expect(light).not.toBe(dark);
    expect(lightBars).not.toBe(darkBars);
    const button = page.locator('#theme');
    await button.click();
    expect(await button.textContent()).toContain('Light');
    await button.click();
    await painted(page);
    expect(await ground()).toBe(dark);
    expect(await pixels(page)).toBe(darkBars);
    await page.reload();
    expect(await ground()).toBe(dark);
    await button.click();
    expect(await button.textContent()).toContain('Auto');
    expect(await ground()).toBe(light);
  });

  it('moves nothing for those who want no motion', async () => {
    const page = await opened(everyday);
    const fades = (): Promise<string> =>
      page.evaluate(`getComputedStyle(document.querySelector('.chip')).transitionDuration`);
    expect(await fades()).not.toBe('0s');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await fades()).toBe('0s');
  });

  it.each([320, 480, 800, 1920])('nothing sticks out of a window %i pixels wide', async (width) => {
    const page = await opened(everyday, { width });
    await pointOnBar(page);
    expect(await page.evaluate(`document.documentElement.scrollWidth`)).toBeLessThanOrEqual(width);
  });

  it('text has the contrast of WCAG AA in both themes', async () => {
    for (const scheme of ['light', 'dark'] as const) {
      const page = await opened(everyday, { scheme });
      await page.locator('#rows-body tr').nth(4).click();
      expect(await page.evaluate(worstContrast), scheme).toBeGreaterThanOrEqual(4.5);
    }
  });

  it('leaves the pictures of the documentation in dist/timeline', async () => {
    mkdirSync(at('dist', 'timeline'), { recursive: true });
    for (const [scheme, state] of [
      ['light', 'Failed'],
      ['dark', 'Interrupted'],
    ] as const) {
      const page = await opened(everyday, { scheme, width: 1280, height: 760 });
      const { x, y } = await pointOnBar(page, state);
      if (scheme === 'light') {
        await page.mouse.click(x, y);
        await page.mouse.move(5, 5);
      }
      await painted(page);
      const file = at('dist', 'timeline', `timeline-${scheme}.png`);
      await page.screenshot({ path: file });
      expect(statSync(file).size).toBeGreaterThan(20_000);
    }
  });
});

describe('what it is given', () => {
  it('hostile text is shown as text wherever it stands', async () => {
    const page = await opened(hostile, { height: 1600 });
    expect(await page.evaluate(`window.broken`)).toBeUndefined();
    expect(await page.locator('img, iframe, svg, body > script ~ *:not(script)').count()).toBe(0);
    const shown = await page.locator('#rows-body .id').allTextContents();
    expect(shown).toContain('</script><script>window.broken = 1</script>');
    expect(shown).toContain('\\u{202e}txt.exe\\u{2066}');
    expect(shown).toContain('&lt;b&gt; &amp;');
    for (const row of await page.locator('#rows-body tr[data-at]').all()) {
      await row.click();
      await painted(page);
    }
    await pointOnBar(page);
    await page.locator('#scope').selectOption({ index: 3 });
    expect(await page.evaluate(`window.broken`)).toBeUndefined();
  });

  it('ten thousand rows load, and only those in sight exist', async () => {
    const page = await opened(large(10_000));
    expect(await page.locator('#count').textContent()).toBe('10,000 rows');
    expect(await page.locator('#rows-body tr').count()).toBeLessThan(60);
    await page.locator('#rows-body tr[tabindex="0"]').focus();
    await page.keyboard.press('End');
    expect(await page.locator('#rows-body tr:focus').getAttribute('aria-rowindex')).toBe('10001');
    await page.fill('#search', 'scope-3 fetch');
    expect(await page.locator('#count').textContent()).toMatch(/^\d+ of 10,000 rows$/);
    await page.locator('#chart').focus();
    await page.keyboard.press('n');
    await page.keyboard.press('z');
    expect(await page.locator('#details h2').textContent()).toMatch(/^scope-3-/);
  });

  it('nothing at all is said in words', async () => {
    const page = await opened(empty);
    expect(await page.locator('#empty').textContent()).toContain('Nothing to show yet');
    expect(await page.locator('#tools, #work').filter({ visible: true }).count()).toBe(0);
  });
});

/** The lowest contrast of any text in sight with what is behind it. */
const worstContrast = `(() => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map(Number).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (!/^rgba\\(.*, 0\\)$/.test(colour)) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let worst = Infinity;
  while (walker.nextNode()) {
    const { parentElement: element, data } = walker.currentNode;
    if (data.trim() === '' || !element.checkVisibility()) continue;
    if (element.closest('script, style, noscript, option, .unseen, .skip')) continue;
    const [one, two] = [light(getComputedStyle(element).color), light(behind(element))];
    worst = Math.min(worst, (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05));
  }
  return worst;
})()`;
