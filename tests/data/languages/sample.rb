# frozen_string_literal: true

require 'json'
require_relative 'other'

# A store.
module Shop
  VERSION = '1.0'
  Point = Struct.new(:x, :y) do
    def norm
      x + y
    end
  end

  class Cart < Base::Thing
    include Enumerable
    attr_accessor :size, :name
    alias_method :length, :size

    class << self
      def build(*args)
        new(*args)
      end
    end

    def self.create(name:)
      build(name)
    end

    # Adds.
    # Really.
    def add(item, count = 1)
      text = <<~TEXT
        def not_a_method
        end
      TEXT
      items.each do |x|
        puts x
      end
    end

    def empty?; size.zero?; end

    def ==(other) = size == other.size

    define_method(:dynamic) do |x|
      x
    end

    private

    def name=(value)
      @name = value
    end
  end

  module_function

  def helper
    1
  end
end

class Shop::Other
end

square = ->(x) { x * x }
