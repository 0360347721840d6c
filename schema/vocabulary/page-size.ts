/** Items of a page where neither `first` nor `last` is given. */
export const defaultPageSize = 20;

/** Maximum number of items of a page. */
export const maxPageSize = 100;
