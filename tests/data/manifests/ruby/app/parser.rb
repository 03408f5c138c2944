require "nokogiri"
require "json"

class Feed
  def read = Nokogiri::XML(@text)
end
