namespace tradewind {}
