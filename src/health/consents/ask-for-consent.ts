/** What asks for a consent before the first message is sent to a provider, by language. `{provider}` is its host. */
const questions: Readonly<Record<'en' | 'es' | 'fr' | 'de' | 'pt' | 'it', string>> = {
  en: 'This answer comes from our articles. A language model of {provider} could answer as well. Nothing that you write is sent there unless you allow it: "share messages with AI" in your profile.',
  es: 'Esta respuesta viene de nuestros artículos. También podría responder un modelo de lenguaje de {provider}. Nada de lo que escribes se envía allí si no lo permites: «compartir mensajes con la IA» en tu perfil.',
  fr: 'Cette réponse vient de nos articles. Un modèle de langage de {provider} pourrait aussi répondre. Rien de ce que vous écrivez n’y est envoyé sans votre accord : « partager les messages avec l’IA » dans votre profil.',
  de: 'Diese Antwort stammt aus unseren Artikeln. Auch ein Sprachmodell von {provider} könnte antworten. Nichts von dem, was Sie schreiben, wird dorthin gesendet, solange Sie es nicht erlauben: «Nachrichten mit KI teilen» in Ihrem Profil.',
  pt: 'Esta resposta vem dos nossos artigos. Um modelo de linguagem de {provider} também poderia responder. Nada do que escreve é enviado para lá sem a sua autorização: «partilhar mensagens com a IA» no seu perfil.',
  it: 'Questa risposta viene dai nostri articoli. Potrebbe rispondere anche un modello linguistico di {provider}. Nulla di ciò che scrivi viene inviato lì se non lo permetti: «condividi i messaggi con l’IA» nel tuo profilo.',
};

/** The question in the language of a message, or in English. */
export function askForConsent(provider: string, language: string | undefined): string {
  const text = language !== undefined && Object.hasOwn(questions, language) ? language : 'en';
  return questions[text as keyof typeof questions].replace('{provider}', provider);
}
