/** Items of a page where neither `first` nor `last` is given. */
export const defaultPageSize = 20;

/** Maximum number of items of a page. */
export const maxPageSize = 100;

/** Greatest size of a page of a list that a person has few of and clients take as a whole, such as private chats. */
export const longPageSize = 500;
