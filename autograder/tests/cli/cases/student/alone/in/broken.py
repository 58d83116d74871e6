class Purse(:
