/**
 * Splits text into the words of the search. VitePress sends the source of this function to the browser, so it uses
 * nothing from outside. Chinese has no spaces: its runs become pairs of characters, which are the same in every
 * platform and whatever surrounds a word. Dictionaries split the same word in different ways.
 */
export function tokenize(text: string): string[] {
  return text.split(/[\s\p{Z}\p{P}\p{S}]+/u).flatMap(word =>
    (word.match(/\p{Script=Han}+|\P{Script=Han}+/gu) ?? []).flatMap(run => {
      const characters = [...run]
      if (characters.length < 3 || !/\p{Script=Han}/u.test(run)) return [run]
      return characters.slice(1).map((character, index) => `${characters[index]}${character}`)
    }),
  )
}
